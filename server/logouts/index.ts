export { type AttemptLogout, createAttemptLogout } from "./attempt.ts";
export { LOGOUT_ID, logoutRoutes } from "./routes.ts";
export { createLogouts, type LogoutRecord, type Logouts } from "./service.ts";
export { startLogouts } from "./starter.ts";
export { closeOpenLogout, LOGOUT_LEASE, openLogout, recordLogout, removeOldLogouts, takeBackLogout } from "./store.ts";
