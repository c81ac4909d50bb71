export {
  ACKNOWLEDGEMENT,
  ALERT,
  ALERT_DESCRIPTION,
  ALERT_STATES,
  type AlertKind,
} from "./contract.ts";
export { alertRoutes } from "./routes.ts";
export { type AlertRecord, type Alerts, createAlerts, MAX_UNSEEN } from "./service.ts";
export { removeOldAlerts } from "./store.ts";
export { startAlertWatch } from "./watch.ts";
