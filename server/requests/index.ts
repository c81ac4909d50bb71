export { createRequestRecorder, type RequestRecorder } from "./recorder.ts";
export { FILTERS as REQUEST_FILTERS, METHODS as REQUEST_METHODS, requestRoutes, toRequestFilter } from "./routes.ts";
export { createRequests, REQUEST_RESOURCE_TYPE, type RequestRecord, type Requests } from "./service.ts";
export { removeOldRequests, STATUS_CLASSES } from "./store.ts";
