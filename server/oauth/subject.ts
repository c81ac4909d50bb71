// Who a token speaks of. A User and an Application may have the same Id, so a user's `sub` says that it is one
// (RFC 9068 5).

const USER_SUBJECT = /^user-([1-9]\d{0,9})$/;

/** A user's `sub`: stable, and never a client's. */
export function subjectOfUser(userId: number): string {
  return `user-${userId}`;
}

/** The user that a `sub` names, or undefined if it names none. */
export function userOfSubject(subject: string): number | undefined {
  const id = USER_SUBJECT.exec(subject)?.[1];
  return id === undefined ? undefined : Number(id);
}
