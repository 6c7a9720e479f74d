import { RelayError } from "../kit/errors.ts";

/**
 * Pays on the payer's page as a browser does: reads the form in the page, picks the first way to pay and
 * submits.
 * @throws RelayError that says what the page answered instead.
 */
export async function payLikeABrowser(paymentUrl: string): Promise<void> {
  const page = await (await fetch(paymentUrl)).text();
  const action = /<form[^>]*\baction="([^"]+)"/.exec(page)?.[1];
  const method = /<input[^>]*\bname="method"[^>]*\bvalue="([^"]+)"/.exec(page)?.[1];
  if (action === undefined || method === undefined)
    throw new RelayError(`The payer's page ${paymentUrl} holds no form to pay with.`);
  const answer = await fetch(new URL(action, paymentUrl), {
    method: "POST",
    body: new URLSearchParams({ method }),
    redirect: "manual",
  });
  await answer.body?.cancel();
  if (answer.status !== 303)
    throw new RelayError(`The payer's page did not take the payment: it answered ${answer.status}.`);
}
