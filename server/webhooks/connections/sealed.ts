/** What a sealed value of a connection is for; it opens for nothing else. */
export const SECRET_PURPOSE = "webhook secret";
export const API_KEY_PURPOSE = "webhook ApiKey";
