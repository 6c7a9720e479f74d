import { readBanks, readCollectionOnWire } from "../collection-statements.ts";
import { linkAccount } from "../linked-account-statements.ts";
import type { OperationHandler } from "./operation-handlers.ts";
import { REFUSALS } from "./refusals.ts";

export const handleGetCollection: OperationHandler<"getCollection"> = async (context, { path }) => {
  const collection = await readCollectionOnWire(context.db, path.id);
  if (collection === undefined) return { refusal: REFUSALS.unknownCollection("id names no collection") };
  return { message: "Collection retrieved successfully", data: collection };
};

export const handleGetBanks: OperationHandler<"getBanks"> = async (context) => ({
  message: "Banks retrieved successfully",
  data: await readBanks(context.db),
});

export const handleAddLinkedAccount: OperationHandler<"addLinkedAccount"> = async (
  context,
  { body, key },
) => {
  if (key.type === "Test")
    return { refusal: REFUSALS.wrongKind("linkedAccount would receive Live settlements") };
  const { bankId, accountNumber, isPrimary } = body.linkedAccount;
  const outcome = await linkAccount(context.db, {
    bankId,
    accountNumber,
    isPrimary,
    accountName: context.accountHolder,
  });
  switch (outcome) {
    case "unknown_bank":
      return { refusal: REFUSALS.accountRefused("linkedAccount.bankId names no bank") };
    case "already_linked":
      return { refusal: REFUSALS.accountRefused("linkedAccount.accountNumber is already linked") };
    case "linked":
      return { message: "Linked account added successfully, it is pending approval" };
  }
};
