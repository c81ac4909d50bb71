/** Where the entity API stands (docs/behaviour.md "Versions"). */
export const API_PATH = "/Endpoint/rest/api/v1";
