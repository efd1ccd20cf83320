use super::{Bench, failed, job, result};
use countersign::tools::Ran;
use serde_json::json;
use std::time::Duration;
use tokio::net::TcpListener;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

async fn serve(at: &str, answer: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    let mock = Mock::given(method("GET"))
        .and(path(at))
        .respond_with(answer);
    mock.mount(&server).await;
    server
}

async fn fetch(url: &str) -> Ran {
    Bench::new().run("fetch", json!({ "url": url })).await
}

#[tokio::test]
async fn a_text_comes_with_its_status_and_type() {
    let server = MockServer::start().await;
    let agent = concat!("countersign/", env!("CARGO_PKG_VERSION"));
    let answer = ResponseTemplate::new(200).set_body_raw("hello\n", "text/plain; charset=utf-8");
    let mock = Mock::given(method("GET")).and(header("user-agent", agent));
    mock.respond_with(answer).expect(1).mount(&server).await;
    let url = format!("{}/a?b=c", server.uri());
    let told = format!("200 OK\n{url}\ncontent-type: text/plain; charset=utf-8\n\nhello\n");
    assert_eq!(fetch(&url).await, Ran::Result(told));
}

#[tokio::test]
async fn an_error_status_is_a_failure_with_its_text() {
    let server = serve(
        "/",
        ResponseTemplate::new(404).set_body_raw("{}", "application/json"),
    )
    .await;
    let url = format!("{}/", server.uri());
    let told = format!("404 Not Found\n{url}\ncontent-type: application/json\n\n{{}}");
    assert_eq!(fetch(&url).await, failed(&told));
}

#[tokio::test]
async fn a_redirect_on_the_same_host_is_followed() {
    let server = serve(
        "/new",
        ResponseTemplate::new(200).set_body_raw("moved", "text/html"),
    )
    .await;
    let to = ResponseTemplate::new(302).insert_header("location", "/new");
    Mock::given(path("/old"))
        .respond_with(to)
        .mount(&server)
        .await;
    let told = format!(
        "200 OK\n{}/new\ncontent-type: text/html\n\nmoved",
        server.uri()
    );
    assert_eq!(fetch(&format!("{}/old", server.uri())).await, result(&told));
}

#[tokio::test]
async fn a_redirect_to_another_host_is_named_and_not_followed() {
    let other = MockServer::start().await;
    Mock::given(method("GET"))
        .respond_with(ResponseTemplate::new(200))
        .expect(0)
        .mount(&other)
        .await;
    let to = ResponseTemplate::new(301).insert_header("location", other.uri().as_str());
    let server = serve("/", to).await;
    let url = format!("{}/", server.uri());
    let told = format!(
        "301 Moved Permanently\n{url}\ncontent-type: not given\nredirects to {}, which was not followed: fetch it if it is wanted\n",
        other.uri()
    );
    assert_eq!(fetch(&url).await, Ran::Result(told));
}

#[tokio::test]
async fn a_circle_of_redirects_ends() {
    let server = serve(
        "/",
        ResponseTemplate::new(302).insert_header("location", "/"),
    )
    .await;
    let url = format!("{}/", server.uri());
    let told = format!(
        "302 Found\n{url}\ncontent-type: not given\nredirects to /, which was not followed: fetch it if it is wanted\n"
    );
    assert_eq!(fetch(&url).await, Ran::Result(told));
}

#[tokio::test]
async fn binary_content_is_not_shown() {
    for (body, kind) in [
        (vec![1, 2, 3], "image/png"),
        (vec![97, 0, 98], "text/plain"),
    ] {
        let server = serve("/", ResponseTemplate::new(200).set_body_raw(body, kind)).await;
        let url = format!("{}/", server.uri());
        let told =
            format!("200 OK\n{url}\ncontent-type: {kind}\n\n[binary content, 3 bytes: not shown]");
        assert_eq!(fetch(&url).await, Ran::Result(told));
    }
}

#[tokio::test]
async fn a_long_answer_is_cut() {
    let body = "x".repeat(1_000_000);
    let server = serve(
        "/",
        ResponseTemplate::new(200).set_body_raw(body, "text/plain"),
    )
    .await;
    let url = format!("{}/", server.uri());
    let kept = "x".repeat(256 * 1024);
    let told = format!(
        "200 OK\n{url}\ncontent-type: text/plain\n\n{kept}\n[… more than 256 KiB: the rest was not read …]"
    );
    assert_eq!(fetch(&url).await, Ran::Result(told));
}

#[tokio::test]
async fn only_web_addresses_are_fetched() {
    let cases = [
        (
            "file:///etc/passwd",
            "file:///etc/passwd: only http and https are fetched",
        ),
        (
            "ftp://host/",
            "ftp://host/: only http and https are fetched",
        ),
        (
            "nonsense",
            "nonsense: not a URL: relative URL without a base",
        ),
    ];
    for (url, told) in cases {
        assert_eq!(fetch(url).await, failed(told));
    }
}

#[tokio::test]
async fn a_host_that_does_not_answer_is_named_with_the_cause() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("its number").port();
    drop(listener);
    let url = format!("http://127.0.0.1:{port}/");
    let Ran::Failed(told) = fetch(&url).await else {
        unreachable!("nobody listens");
    };
    assert!(
        told.starts_with(&url) && told.contains("Connection refused"),
        "{told}"
    );
}

#[tokio::test]
async fn an_interrupt_ends_a_fetch_that_hangs() {
    let answer = ResponseTemplate::new(200).set_delay(Duration::from_mins(5));
    let server = serve("/", answer).await;
    let bench = Bench::new();
    let job = job("fetch", json!({ "url": server.uri() }));
    let cancel = job.cancel.clone();
    let watch = async {
        while server
            .received_requests()
            .await
            .is_none_or(|requests| requests.is_empty())
        {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let ((ran, _), ()) = tokio::join!(bench.finish(job), watch);
    assert_eq!(ran, Ran::Interrupted);
}
