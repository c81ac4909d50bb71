// Invitations of many people by a CSV file.

export { IMPORT } from "./contract.ts";
export { createInvitationEngine, type InvitationEngine } from "./engine.ts";
export { createInvitationImports, type InvitationImports, invitationImportRoutes } from "./service.ts";
