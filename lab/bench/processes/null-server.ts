import { answerParent } from "../harness/answer-parent.ts";
import { rawResponse, startRawServer } from "../harness/raw-http-server.ts";

// Answers anything at once: what the load generator reaches here is its ceiling.
const response = rawResponse("text/plain", "");
const calls = { start: () => startRawServer((_head, _body, answer) => answer(response)) };

export type NullServerCalls = typeof calls;
answerParent(calls);
