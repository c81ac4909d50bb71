// A preload: xss-scan needs the compiler's API, which the native TypeScript 7 does not have.

import { plugin } from "bun";
import typescript from "typescript5";

plugin({
  name: "typescript 5",
  setup(build) {
    build.module("typescript", () => ({ exports: { ...typescript, default: typescript }, loader: "object" }));
  },
});
