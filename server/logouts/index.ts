export { type AttemptLogout, createAttemptLogout } from "./attempt.ts";
export { startLogouts } from "./starter.ts";
export { closeOpenLogout, openLogout, recordLogout, removeOldLogouts, takeBackLogout } from "./store.ts";
