import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { errorAnswer, SnsError, successAnswer } from "./answers.ts";
import { CONTROL_PREFIX, type Control, readBody } from "./control.ts";
import type { Signer } from "./envelope.ts";
import { type Faults, refusalOfCall } from "./faults.ts";
import { type Operation, readForm } from "./form.ts";

/** Answers every request: the control routes, the signing certificate, and the Query protocol of SNS. */
export function createRequestHandler(parts: {
  operations: Readonly<Record<string, Operation>>;
  faults: Faults;
  control: Control;
  signer: Signer;
  log: Logger | undefined;
}) {
  const { operations, faults, control, signer, log } = parts;
  const unanswered = new Set<ServerResponse>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? "/", "http://localhost");
    if (url?.pathname.startsWith(CONTROL_PREFIX)) {
      await control(request, response, url);
    } else if (request.method === "GET" && url?.pathname === signer.certificatePath) {
      response.writeHead(200, { "content-type": "application/x-pem-file" }).end(signer.certificatePem);
    } else {
      const requestId = randomUUID();
      try {
        await answerProtocol(request, response, url?.search.slice(1) ?? "", requestId);
      } catch (error) {
        const refusal = error instanceof SnsError ? error : new SnsError("InternalError", messageOf(error));
        if (refusal !== error) log?.error({ error: messageOf(error) }, "Local SNS failed");
        sendXml(response, refusal.status, errorAnswer(refusal, requestId), requestId);
      }
    }
  }

  /** @throws SnsError for a request that is refused. */
  async function answerProtocol(
    request: IncomingMessage,
    response: ServerResponse,
    query: string,
    requestId: string,
  ): Promise<void> {
    const body = await readBody(request);
    if (body === undefined)
      throw new SnsError("RequestEntityTooLarge", "The request is larger than any message of SNS.");
    const fields = readForm(query === "" ? body : `${query}&${body}`);
    const name = typeof fields.Action === "string" ? fields.Action : "";
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
    // That credentials are named is enough; they are not checked.
    const isSigned = request.headers.authorization !== undefined || query.includes("X-Amz-Signature=");
    if (!isSigned && !operation?.openToAll)
      throw new SnsError("MissingAuthenticationToken", "Request is missing Authentication Token");
    if (operation === undefined)
      throw new SnsError("InvalidAction", `The action ${name} is not valid for this endpoint.`);

    const fault = faults.takeForCall(name, fields.TopicArn);
    if (fault?.kind === "hang") {
      unanswered.add(response.once("close", () => unanswered.delete(response)));
      return;
    }
    if (fault?.kind === "empty-answer") return sendXml(response, 200, "", requestId);
    if (fault?.kind === "slow") await pause(fault.delayMs, undefined, { ref: false });
    const refusal = fault && refusalOfCall(fault);
    if (refusal !== undefined) throw refusal;
    const xml = successAnswer(name, operation.answer(fields), requestId);
    if (fault?.kind === "drop") request.socket.destroy();
    else sendXml(response, 200, xml, requestId);
  }

  return {
    handle(request: IncomingMessage, response: ServerResponse): void {
      answer(request, response).catch((error: unknown) => {
        // Only a connection that broke while it was read or written comes here.
        log?.debug({ error: messageOf(error) }, "Local SNS lost a connection");
        response.destroy();
      });
    },
    /** Cuts the connections that an injected fault left without an answer. */
    close(): void {
      for (const response of unanswered) response.destroy();
    },
  };
}

function sendXml(response: ServerResponse, status: number, xml: string, requestId: string): void {
  response
    .writeHead(status, {
      "content-type": "text/xml",
      "content-length": Buffer.byteLength(xml),
      "x-amzn-requestid": requestId,
    })
    .end(xml);
}
