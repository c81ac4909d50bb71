// The static check of a page against its Content-Security-Policy.

import { expect, test } from "bun:test";
import { violationsOf } from "../../support/page-policy.ts";
import { parse } from "../../support/plain-html.ts";

const POLICY =
  "default-src 'none'; style-src 'self' 'nonce-n1'; script-src 'self'; img-src 'self' data:; form-action 'self' https://app.example";
const URL_OF_PAGE = new URL("http://localhost:3000/settings");
const found = (html: string, policy: string | null = POLICY) => violationsOf(parse(html), policy, URL_OF_PAGE).length;

test.each([
  `<script src="/assets/a.js"></script>`,
  `<link rel="stylesheet" href="/a.css"><link rel="icon" href="https://other.example/i.png">`,
  `<style nonce="n1">p {}</style>`,
  `<img src="data:image/png;base64,AA"><img src="/a.png">`,
  `<form action="/settings"></form><form action="https://app.example/cb"></form><form></form>`,
])("the policy permits %s", (html) => {
  expect(found(html)).toBe(0);
});

test.each([
  "<script>1</script>",
  `<script src="https://other.example/a.js"></script>`,
  "<style>p {}</style>",
  `<p style="color: red">`,
  `<p onclick="go()">`,
  `<link rel="stylesheet" href="//other.example/a.css">`,
  `<img src="https://other.example/a.png">`,
  `<iframe src="/settings"></iframe>`,
  `<form action="https://other.example/"></form>`,
])("the policy refuses %s", (html) => {
  expect(found(html)).toBe(1);
  expect(found(html, null)).toBe(0);
});
