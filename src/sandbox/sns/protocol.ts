import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import type { Action } from "./action.ts";
import type { CallFault, Faults } from "./faults.ts";
import { readForm, textOf } from "./query-protocol.ts";
import { SnsError } from "./sns-error.ts";
import { errorAnswer, successAnswer } from "./xml-answer.ts";

/** What goes back over the connection: an answer, or by an injected fault a cut or nothing at all. */
export type Reply =
  | { readonly kind: "answer"; readonly status: number; readonly xml: string; readonly requestId: string }
  | { readonly kind: "cut" }
  | { readonly kind: "silence" };

/** Whoever holds the token, or the link in a message, needs no credentials for these: as in SNS. */
const OPEN_TO_ALL = ["ConfirmSubscription", "Unsubscribe"];

/** Turns a form of the Query protocol into the reply that SNS would give. */
export function createProtocol(parts: {
  actions: Record<string, Action>;
  faults: Faults;
  log: Logger | undefined;
}) {
  const { actions, faults, log } = parts;

  async function carryOut(form: string, signed: boolean, requestId: string): Promise<Reply> {
    const fields = readForm(form);
    const name = textOf(fields, "Action") ?? "";
    if (!signed && !OPEN_TO_ALL.includes(name)) {
      throw new SnsError("MissingAuthenticationToken", "Request is missing Authentication Token");
    }
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) {
      throw new SnsError("InvalidAction", `The action ${name} is not valid for this endpoint.`);
    }
    const fault = faults.takeForCall(name, textOf(fields, "TopicArn"));
    if (fault?.kind === "hang") return { kind: "silence" };
    if (fault?.kind === "empty-answer") return { kind: "answer", status: 200, xml: "", requestId };
    if (fault !== undefined) await strike(fault);
    const xml = successAnswer(name, action(fields, { signed }), requestId);
    return fault?.kind === "drop" ? { kind: "cut" } : { kind: "answer", status: 200, xml, requestId };
  }

  /** @param signed whether the request names credentials; they are not checked. */
  return async (form: string, signed: boolean): Promise<Reply> => {
    const requestId = randomUUID();
    try {
      return await carryOut(form, signed, requestId);
    } catch (error) {
      const refusal = error instanceof SnsError ? error : new SnsError("InternalError", messageOf(error));
      if (refusal !== error) log?.error({ error: messageOf(error) }, "Local SNS failed");
      return {
        kind: "answer",
        status: refusal.status,
        xml: errorAnswer(refusal, requestId),
        requestId,
      };
    }
  };
}

export type Protocol = ReturnType<typeof createProtocol>;

/** @throws SnsError where the fault is a refusal. */
async function strike(fault: CallFault): Promise<void> {
  switch (fault.kind) {
    case "throttle":
      throw new SnsError("Throttled", "Rate exceeded");
    case "internal-error":
      throw new SnsError("InternalError", "An internal service error, injected");
    case "refuse-credentials":
      throw new SnsError("InvalidClientTokenId", "The security token included in the request is invalid.");
    case "topic-missing":
      throw new SnsError("NotFound", "Topic does not exist");
    case "not-allowed":
      throw new SnsError("AuthorizationError", "User is not authorized to perform this action");
    case "slow":
      await pause(fault.delayMs, undefined, { ref: false });
  }
}
