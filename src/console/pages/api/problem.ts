/** What kept a call from its answer, for a person: what is wrong, and what to do. */
export class ApiProblem extends Error {
  /** HTTP's; 0 when nothing answered. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** What was thrown, as a problem. */
  static of(thrown: unknown): ApiProblem {
    return thrown instanceof ApiProblem ? thrown : new ApiProblem(0, String(thrown));
  }
}

const TO_DO: Record<number, string> = {
  0: "See whether you are online, and whether the relay runs. It is retried automatically.",
  401: "Sign in again.",
  403: "Sign in with a token of a role that may, or ask somebody who has one.",
  404: "Check the address, or go back to the list.",
  429: "Wait a moment, then try again.",
  500: "Try again; the relay's log says more.",
  503: "Try again in a moment.",
};

/** What to do about a problem; "" when its own words say it. */
export const toDo = ({ status }: ApiProblem): string => TO_DO[status] ?? "";

/** A refused answer as a problem: the API's own words where it has some. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const body: unknown = await response.json().catch(() => null);
  const said = typeof body === "object" && body !== null && "error" in body ? body.error : null;
  const fallback = `The relay answered ${response.status} ${response.statusText}`.trim();
  return new ApiProblem(response.status, typeof said === "string" ? said : `${fallback}.`);
}
