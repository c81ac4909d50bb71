// The user's mail address on the account page, and the addresses of its forms.

export const CHANGE_PATH = "/account/address/change";
export const VERIFY_PATH = "/account/address/verify";

export interface OwnAddress {
  /** "" if unset. */
  address: string;
  isVerified: boolean;
  /** Mail can be sent, and the address is one. */
  canVerify: boolean;
  /** Providers set the addresses of users without a password here. */
  canChange: boolean;
}
