//! A server that does what no proper one does: cuts answers, and hangs.

use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What the server does on one connection after it has read the request.
#[derive(Debug, Clone)]
pub struct Act {
    bytes: Vec<u8>,
    then: Then,
}

#[derive(Debug, Clone, Copy)]
enum Then {
    Close,
    Hang,
}

impl Act {
    pub fn close(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: bytes.into(),
            then: Then::Close,
        }
    }

    pub fn hang(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: bytes.into(),
            then: Then::Hang,
        }
    }

    /// A whole answer.
    pub fn answer(content_type: &str, body: &str) -> Self {
        Self::close(head(content_type, body.len()) + body)
    }
}

/// The head of an answer of `length` bytes, however many will come.
pub fn head(content_type: &str, length: usize) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )
}

/// The head of a stream that ends with its connection.
pub fn stream_head() -> String {
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_owned()
}

/// The server, with the requests it has read.
pub struct Raw {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
    read: watch::Receiver<usize>,
    task: JoinHandle<()>,
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Raw {
    /// One act for each connection, in order.
    pub async fn of(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (count, read) = watch::channel(0);
        let task = tokio::spawn(serve(listener, acts, Arc::clone(&requests), count));
        Self {
            url: format!("http://{address}"),
            requests,
            read,
            task,
        }
    }

    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Returns once `count` requests have been read and acted on.
    pub async fn has_read(&self, count: usize) {
        let mut read = self.read.clone();
        read.wait_for(|read| *read >= count)
            .await
            .expect("the server runs");
    }

    /// The requests so far: method, path and body.
    pub fn requests(&self) -> Vec<String> {
        self.requests
            .lock()
            .expect("the server has not panicked")
            .clone()
    }
}

async fn serve(
    listener: TcpListener,
    acts: Vec<Act>,
    requests: Arc<Mutex<Vec<String>>>,
    count: watch::Sender<usize>,
) {
    let mut hanging = Vec::new();
    for act in acts {
        let (mut socket, _) = listener.accept().await.expect("a connection");
        let request = request(&mut socket).await;
        requests.lock().expect("nobody panicked").push(request);
        // The client may have gone away; that is its right.
        socket.write_all(&act.bytes).await.ok();
        socket.flush().await.ok();
        match act.then {
            Then::Close => drop(socket),
            Then::Hang => hanging.push(socket),
        }
        count.send_modify(|count| *count += 1);
    }
    std::future::pending::<()>().await;
}

async fn request(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && body.len() >= length(head)
        {
            let line: Vec<_> = head.split(' ').take(2).collect();
            return format!("{} {body}", line.join(" ")).trim_end().to_owned();
        }
        let mut piece = [0; 4096];
        let read = socket.read(&mut piece).await.expect("a readable socket");
        assert_ne!(read, 0, "the client sends its whole request");
        bytes.extend_from_slice(&piece[..read]);
    }
}

fn length(head: &str) -> usize {
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, length)| length.trim().parse().ok())
        .unwrap_or(0)
}
