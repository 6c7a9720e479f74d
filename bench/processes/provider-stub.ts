import { answerParent } from "../harness/answer-parent.ts";
import { rawResponse, startRawServer } from "../harness/raw-http-server.ts";
import { invoiceAnswer } from "../harness/sample-payment.ts";

// The provider: every invoice is paid. Its answer is prepared but for the id.
const PLACE = "00000000-0000-4000-8000-000000000000";
const pieces = rawResponse("application/json", invoiceAnswer(PLACE)).split(PLACE);

let delayMs = 0;
let asked = 0;

const calls = {
  start: () =>
    startRawServer((head, _body, answer) => {
      asked += 1;
      const response = pieces.join(head.slice(head.indexOf("invoices/") + 9, head.indexOf(" HTTP/")));
      if (delayMs === 0) answer(response);
      else setTimeout(answer, delayMs, response);
    }),
  /** How long each answer takes, in ms. */
  delay: (ms: number) => {
    delayMs = ms;
  },
  asked: () => asked,
};

export type ProviderCalls = typeof calls;
answerParent(calls);
