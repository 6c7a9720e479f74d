import { post } from "../api/client.ts";
import { countText } from "../kit/money-text.ts";
import type { ListedAlarm } from "./alarms.tsx";
import type { Act } from "./choosing-table.tsx";

/** Takes alarms off the list that somebody has seen to. */
export const CLOSE: Act<ListedAlarm> = {
  operation: "closeAlarms",
  title: "Close",
  says: (count) =>
    `${count === 1 ? "It is" : "They are"} listed no more. If it is still so, or happens again, it is ` +
    "raised anew.",
  async run(alarms, reason) {
    const chosen = alarms.map(({ name, source, subject }) => ({ name, source, subject }));
    await post("/alarms/close", { body: { alarms: chosen, reason } });
    return alarms.length === 1 ? "An alarm was closed." : `${countText(alarms.length)} alarms were closed.`;
  },
};

/** Asks the provider about the invoices once more: does it still say so? */
export const ASK_AGAIN: Act<ListedAlarm> = {
  operation: "askAgain",
  title: "Ask again",
  isMain: true,
  says: (count) =>
    `The provider is asked about ${count === 1 ? "this invoice" : `these ${countText(count)} invoices`} ` +
    "once more.",
  async run(alarms, reason) {
    for (const { subject, source } of alarms)
      await post("/invoices/{id}/ask", { path: { id: subject }, body: { source, reason } });
    return alarms.length === 1 ? "It is being asked." : `${countText(alarms.length)} are being asked.`;
  },
};
