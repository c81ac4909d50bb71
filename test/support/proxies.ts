/** The environment of a machine behind a proxy, which is down: whatever is sent to it fails. */
export const PROXIES = Object.fromEntries(
  ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].map((name) => [
    name,
    "http://127.0.0.1:1",
  ]),
);
