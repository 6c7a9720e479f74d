import { z } from "zod";
import { text } from "./strict-fields.ts";

/** What Add Linked Account takes (interface, part A); `bankId` is a bank's number from Get Banks. */
export const addLinkedAccountRequest = z
  .object(
    {
      linkedAccount: z.object(
        {
          bankId: z
            .int("should be a whole number: the bank's id from Get Banks, not its clearing code or UUID")
            .min(1, "should be more than 0")
            .max(2_147_483_647, "should be at most 2147483647"),
          accountNumber: text(20).regex(/^\d{6,20}$/, "should be 6 to 20 digits"),
          isPrimary: z.boolean("should be true or false").default(false),
        },
        "should be an object with bankId, accountNumber and isPrimary",
      ),
    },
    "should be a JSON object",
  )
  .meta({ id: "AddLinkedAccountRequest" });

export type AddLinkedAccountInput = z.input<typeof addLinkedAccountRequest>;
