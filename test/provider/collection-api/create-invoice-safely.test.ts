import { expect, it } from "vitest";
import { createInvoiceSafely } from "../../../examples/create-invoice-safely.ts";
import { CREATE, withProvider } from "./stub-provider.ts";

const callbackUrl = "https://relay.example.com/callbacks/token";
const idOf = (nth: number) => `0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e1${nth}`;

interface Given {
  /** What becomes of the first creations: the answer is lost before or after the work. */
  losses: ("before" | "after")[];
  /** How many invoices of the same title and payer there are: only the reference tells them apart. */
  others?: number;
  showsUrls?: boolean;
}

async function creatingSafely({ losses, others = 2, showsUrls = true }: Given) {
  const made = Array.from({ length: others }, (_, nth) => `${callbackUrl}/order-${nth}`);
  const invoice = (nth: number) => ({
    ...{ ...CREATE, id: idOf(nth), status: "Unpaid", amount: 1500.5, dateCreated: new Date().toISOString() },
    callBackUrl: showsUrls ? made[nth] : null,
  });
  const { client } = await withProvider(({ method, url, body }) => {
    const loss = method === "POST" ? losses.shift() : undefined;
    if (method === "POST" && loss !== "before") made.push(JSON.parse(body).callBackUrl);
    if (loss !== undefined) return { status: 500, body: {} };
    const nth = method === "POST" ? made.length - 1 : made.findIndex((_, nth) => url.endsWith(idOf(nth)));
    const page = { items: made.map((_, nth) => invoice(nth)), hasNextPage: false };
    return { body: { status: 200, data: nth === -1 ? page : invoice(nth) } };
  });
  const request = { ...CREATE, callBackUrl: `${callbackUrl}/order%209` };
  const creating = createInvoiceSafely(client, request, { settleMs: 0 });
  return { creating, timesMade: () => made.filter((url) => url === `${callbackUrl}/order%209`).length };
}

it.each<[losses: Given["losses"]]>([[[]], [["before", "before"]], [["after"]], [["before", "after"]]])(
  "a Create is made exactly once, though answers are lost: %j",
  async (losses) => {
    const { creating, timesMade } = await creatingSafely({ losses });
    expect(await creating).toMatchObject({ id: idOf(2), callBackUrl: `${callbackUrl}/order%209` });
    expect(timesMade()).toBe(1);
  },
);

it("it is given up, with the error, where it is lost again and again and never made", async () => {
  const { creating, timesMade } = await creatingSafely({ losses: ["before", "before", "before"] });
  await expect(creating).rejects.toMatchObject({ kind: "server_fault", outcomeUnknown: true });
  expect(timesMade()).toBe(0);
});

it("where no callBackUrl is shown, the only one of the title is taken; of two a person decides", async () => {
  const only = await creatingSafely({ losses: ["after"], others: 0, showsUrls: false });
  expect(await only.creating).toMatchObject({ id: idOf(0) });
  const two = await creatingSafely({ losses: ["after"], others: 1, showsUrls: false });
  await expect(two.creating).rejects.toThrow("2");
});
