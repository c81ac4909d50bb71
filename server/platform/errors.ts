// All errors that callers can get, one class each; http/error-record.ts formats them.

/** docs/behaviour.md "Error record"; its Type is `/Errors/` + kind. */
export class ApiError extends Error {
  readonly errors: string[];

  /** @param errors human-readable explanations; never a secret */
  constructor(
    readonly status: number,
    readonly kind: string,
    readonly title: string,
    errors: string[],
    readonly headers: Record<string, string> = {},
  ) {
    const shown = firstOf(errors, String);
    super(shown.join(" "));
    this.name = new.target.name;
    this.errors = shown;
  }
}

/** The maximum number of problems in an error record; further ones are counted. */
const MAX_ERRORS = 20;

/** The first MAX_ERRORS problems, then one line that counts the others. */
export function firstOf<One>(problems: One[], lineOf: (text: string) => One): One[] {
  const others = problems.length - MAX_ERRORS;
  return others > 1 ? [...problems.slice(0, MAX_ERRORS), lineOf(`… and ${others} more.`)] : problems;
}

export interface Problem {
  /** The field's API name; "" for the whole body. */
  Field: string;
  Message: string;
}

export class BadInput extends ApiError {
  /** Empty if the problems concern no fields. */
  problems: Problem[] = [];

  constructor(...errors: string[]) {
    super(400, "Bad Input", "Bad Request", errors);
  }

  static in(problems: Problem[]): BadInput {
    const refusal = new BadInput(...problems.map(({ Message }) => Message));
    refusal.problems = problems;
    return refusal;
  }

  /** Runs all checks and throws their problems together. */
  static all(...checks: (() => void)[]): void {
    const problems = checks.flatMap((check) => {
      try {
        check();
        return [];
      } catch (error) {
        if (!(error instanceof BadInput)) throw error;
        const { problems, errors } = error;
        return problems.length > 0 ? problems : errors.map((Message) => ({ Field: "", Message }));
      }
    });
    if (problems.length > 0) throw BadInput.in(problems);
  }
}

/** The caller's connection ended or stalled within the body. */
export class BodyCutOff extends BadInput {
  constructor() {
    super("The body ended before it was complete.");
  }
}

/** Spelled as in docs/behaviour.md "Read a record". */
export class MultipleRows extends ApiError {
  constructor(...errors: string[]) {
    super(400, "Multible Rows", "Bad Request", errors);
  }
}

/** @param challenge the value of WWW-Authenticate (RFC 6750 3) */
export class Unauthorized extends ApiError {
  constructor(error: string, challenge?: string) {
    super(401, "Unauthorized", "Unauthorized", [error], challenge ? { "www-authenticate": challenge } : {});
  }
}

export class Permission extends ApiError {
  constructor(error: string, challenge?: string) {
    super(403, "Permission", "Forbidden", [error], challenge ? { "www-authenticate": challenge } : {});
  }
}

export class NotFound extends ApiError {
  constructor(error: string) {
    super(404, "Not Found", "Not Found", [error]);
  }
}

export class MethodNotAllowed extends ApiError {
  constructor(allow: string[]) {
    super(405, "Method Not Allowed", "Method Not Allowed", [`Use ${allow.join(" or ")} here.`], {
      allow: allow.join(", "),
    });
  }
}

export class Conflict extends ApiError {
  constructor(...errors: string[]) {
    super(409, "Conflict", "Conflict", errors);
  }
}

export class PreconditionFailed extends ApiError {
  constructor(error: string) {
    super(412, "Precondition Failed", "Precondition Failed", [error]);
  }
}

export class PayloadTooLarge extends ApiError {
  constructor(limit: number) {
    super(413, "Payload Too Large", "Payload Too Large", [
      `The body is larger than ${limit} bytes. Send less in one request.`,
    ]);
  }
}

/** @param retryAfter seconds */
export class TooManyRequests extends ApiError {
  constructor(error: string, retryAfter: number) {
    super(429, "Too Many Requests", "Too Many Requests", [error], { "retry-after": String(retryAfter) });
  }

  static ofClient(perSecond: number, retryAfter: number): TooManyRequests {
    const error = `This client sends more than ${perSecond} requests a second. Wait before the next one.`;
    return new TooManyRequests(error, retryAfter);
  }
}

interface BusyLimits {
  name: string;
  holder?: string;
  perTenant: number;
  waiting: number;
}

export class TenantBusy extends TooManyRequests {
  constructor({ name, holder = "This tenant has", perTenant, waiting }: BusyLimits) {
    const beside = waiting > 0 ? ` and ${waiting} waiting` : "";
    super(`${holder} ${perTenant} ${name} in progress${beside}, the maximum. Try again when these have ended.`, 2);
  }
}

/** draft-ietf-httpapi-idempotency-key-header 2.7 */
export class KeyReused extends ApiError {
  constructor() {
    super(422, "Unprocessable Content", "Unprocessable Content", [
      "This Idempotency-Key belongs to a different request. Use a new key for each request.",
    ]);
  }
}

export class UnsupportedMediaType extends ApiError {
  constructor(expected: string) {
    super(415, "Unsupported Media Type", "Unsupported Media Type", [`Send the body as Content-Type ${expected}.`]);
  }
}

/** RFC 7694 3: Accept-Encoding lists the supported codings. */
export class UnsupportedContentCoding extends ApiError {
  constructor() {
    super(415, "Unsupported Media Type", "Unsupported Media Type", ["Send the body without Content-Encoding."], {
      "accept-encoding": "identity",
    });
  }
}

export class ServiceUnavailable extends ApiError {
  constructor(error: string) {
    super(503, "Service Unavailable", "Service Unavailable", [error], { "retry-after": "2" });
  }
}

export class ServiceBusy extends ServiceUnavailable {
  constructor(error = "Too many requests are waiting. Try again in a moment.") {
    super(error);
  }
}

/** Prevents the start with a message that an operator can act on, shown without a stack. */
export class CannotStart extends Error {
  override name = "CannotStart";
}
