export { createOnce } from "./keys.ts";
export { createRequestRecorder } from "./recorder.ts";
export { createRequests } from "./routes.ts";
