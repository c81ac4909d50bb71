/** Seconds that a link is good. */
export const RESET_LIFETIME = 3_600;
export const RESET_PATH = "/account/reset";
