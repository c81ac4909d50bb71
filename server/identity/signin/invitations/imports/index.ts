// Invitations of many people by a CSV file.

export { IMPORT, IMPORT_CHANGE, IMPORT_DATA, type ImportRecord } from "./contract.ts";
export { createInvitationEngine, type InvitationEngine } from "./engine.ts";
export { createInvitationImports, type InvitationImports, invitationImportRoutes } from "./service.ts";
