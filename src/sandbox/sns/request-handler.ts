import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import { hasTwoHosts } from "../two-hosts.ts";
import { CONTROL_PREFIX, type Control } from "./control.ts";
import type { Protocol } from "./protocol.ts";
import { readBody } from "./read-body.ts";
import type { Signer } from "./signing.ts";
import { SnsError } from "./sns-error.ts";
import { errorAnswer } from "./xml-answer.ts";

/** Tells the control routes, the signing certificate and the protocol apart. */
export function createRequestHandler(parts: {
  protocol: Protocol;
  control: Control;
  signer: Signer;
  log: Logger | undefined;
}) {
  const { protocol, control, signer, log } = parts;
  const silent = new Set<ServerResponse>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? "/", "http://localhost");
    if (hasTwoHosts(request)) {
      const twice = new SnsError("ValidationError", "The Host header is given more than once.");
      sendXml(response, twice.status, errorAnswer(twice, "none"), "none");
    } else if (url?.pathname.startsWith(CONTROL_PREFIX)) {
      await control(request, response, url);
    } else if (request.method === "GET" && url?.pathname === signer.certificatePath) {
      response.writeHead(200, { "content-type": "application/x-pem-file" }).end(signer.certificatePem);
    } else {
      await answerProtocol(request, response, url?.search.slice(1) ?? "");
    }
  }

  async function answerProtocol(
    request: IncomingMessage,
    response: ServerResponse,
    query: string,
  ): Promise<void> {
    const body = await readBody(request);
    if (body === undefined) {
      const tooLarge = new SnsError(
        "RequestEntityTooLarge",
        "The request is larger than any message of SNS.",
      );
      sendXml(response, tooLarge.status, errorAnswer(tooLarge, "none"), "none");
      return;
    }
    const signed = request.headers.authorization !== undefined || query.includes("X-Amz-Signature=");
    const reply = await protocol(query === "" ? body : `${query}&${body}`, signed);
    if (reply.kind === "answer") sendXml(response, reply.status, reply.xml, reply.requestId);
    else if (reply.kind === "cut") request.socket.destroy();
    else silent.add(response.once("close", () => silent.delete(response)));
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
      for (const response of silent) response.destroy();
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
