export {
  ACKNOWLEDGEMENT,
  ALERT_DESCRIPTION,
  ALERT_RESOURCE_TYPE,
  ALERT_STATES,
  type AlertKind,
  EXAMPLE_ALERT,
} from "./contract.ts";
export { alertRoutes } from "./routes.ts";
export { type AlertRecord, type Alerts, createAlerts, MAX_UNSEEN } from "./service.ts";
export { removeOldAlerts } from "./store.ts";
export { startAlertWatch } from "./watch.ts";
