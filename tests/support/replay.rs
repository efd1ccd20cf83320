//! A model's server that replays recorded exchanges in order, and checks each request.

use serde_json::Value;
use std::sync::{Arc, Mutex};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// One request and the answer to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    pub method: String,
    pub path: String,
    pub accept: String,
    pub body: Value,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub answer: String,
}

impl Exchange {
    pub fn post(path: &str, body: Value, status: u16, answer: &Value) -> Self {
        let is_streamed = body.get("stream") == Some(&Value::Bool(true));
        Self {
            method: "POST".to_owned(),
            path: path.to_owned(),
            accept: accepted(is_streamed).to_owned(),
            body,
            status,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            answer: answer.to_string(),
        }
    }

    pub fn get(path: &str, status: u16, answer: &Value) -> Self {
        Self {
            method: "GET".to_owned(),
            ..Self::post(path, Value::Null, status, answer)
        }
    }

    /// The same, with an answer of another content type.
    pub fn answering(mut self, content_type: &str, answer: impl Into<String>) -> Self {
        self.headers.retain(|(name, _)| name != "content-type");
        self.header("content-type", content_type).body(answer)
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(old, _)| old != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    fn body(mut self, answer: impl Into<String>) -> Self {
        self.answer = answer.into();
        self
    }
}

fn accepted(is_streamed: bool) -> &'static str {
    if is_streamed {
        "text/event-stream"
    } else {
        "application/json"
    }
}

/// The recorded exchanges of one case.
pub fn recorded(case: &str) -> Vec<Exchange> {
    let path = format!(
        "{}/tests/fixtures/mistral/{case}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(&path).expect("the fixture is there");
    let file: Value = serde_json::from_str(&text).expect("a fixture is JSON");
    let exchanges = file["exchanges"]
        .as_array()
        .expect("a fixture has exchanges");
    exchanges.iter().map(exchange).collect()
}

fn exchange(recorded: &Value) -> Exchange {
    let (request, response) = (&recorded["request"], &recorded["response"]);
    let text = |value: &Value| value.as_str().expect("it is text").to_owned();
    let headers = response["headers"]
        .as_object()
        .expect("headers are an object");
    let answer = response["sse"].as_str();
    Exchange {
        method: text(&request["method"]),
        path: text(&request["path"]),
        accept: text(&request["accept"]),
        body: request["body"].clone(),
        status: u16::try_from(response["status"].as_u64().expect("a status")).expect("a status"),
        headers: headers
            .iter()
            .map(|(name, value)| (name.clone(), text(value)))
            .collect(),
        answer: answer.map_or_else(|| response["body"].to_string(), str::to_owned),
    }
}

/// A server that plays exchanges.
pub struct Replay {
    server: MockServer,
    play: Arc<Mutex<Play>>,
}

#[derive(Default)]
struct Play {
    exchanges: Vec<Exchange>,
    next: usize,
    differences: Vec<String>,
}

impl Replay {
    pub async fn of(exchanges: Vec<Exchange>) -> Self {
        let play = Arc::new(Mutex::new(Play {
            exchanges,
            ..Play::default()
        }));
        let server = MockServer::start().await;
        let player = Player(Arc::clone(&play));
        Mock::given(any()).respond_with(player).mount(&server).await;
        Self { server, play }
    }

    pub fn url(&self) -> String {
        self.server.uri()
    }

    /// All exchanges were played and each request was as recorded.
    pub fn finish(&self) {
        let play = self.play.lock().expect("no player panicked");
        assert_eq!(play.differences, Vec::<String>::new());
        assert_eq!(play.next, play.exchanges.len(), "exchanges played");
    }
}

struct Player(Arc<Mutex<Play>>);

impl Respond for Player {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mut play = self.0.lock().expect("no player panicked");
        let place = play.next;
        play.next += 1;
        let Some(exchange) = play.exchanges.get(place).cloned() else {
            let line = format!("one too many: {} {}", request.method, request.url.path());
            play.differences.push(line);
            return ResponseTemplate::new(418);
        };
        play.differences
            .extend(difference(place, &exchange, request));
        let mut template = ResponseTemplate::new(exchange.status);
        let mut content_type = String::new();
        for (name, value) in exchange.headers {
            if name == "content-type" {
                content_type = value;
            } else {
                template = template.insert_header(name, value);
            }
        }
        template.set_body_raw(exchange.answer, &content_type)
    }
}

fn difference(place: usize, exchange: &Exchange, request: &Request) -> Option<String> {
    let mut expected = exchange.body.clone();
    without_strict(&mut expected);
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let accept = request.headers.get("accept");
    let accept = accept
        .and_then(|accept| accept.to_str().ok())
        .unwrap_or_default();
    let is_same = request.method.as_str() == exchange.method
        && request.url.path() == exchange.path
        && accept == exchange.accept
        && body == expected;
    (!is_same).then(|| {
        format!(
            "exchange {place}: {} {} (accept {accept})\n  got      {body}\n  expected {} {} {expected}",
            request.method,
            request.url.path(),
            exchange.method,
            exchange.path,
        )
    })
}

/// The recorded client writes `strict: true` for each function, whatever its schema. This program
/// leaves it out: schemas written by hand do not keep what `strict` demands.
fn without_strict(body: &mut Value) {
    let tools = body.get_mut("tools").and_then(Value::as_array_mut);
    for tool in tools.into_iter().flatten() {
        if let Some(function) = tool.get_mut("function").and_then(Value::as_object_mut) {
            function.shift_remove("strict");
        }
    }
}
