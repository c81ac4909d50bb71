export { personalDataRoutes } from "./routes.ts";
export { createPersonalData, type PersonalData } from "./service.ts";
