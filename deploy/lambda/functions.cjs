// What each function may do, in one table: roles.cjs and alarms.cjs are made from it, serverless.yml takes
// SECRET_SETTINGS from it, and a test holds the result.

/** Which parameter of SSM holds a function's DATABASE_URL: each connects as the narrowest database role. */
const AS = {
  receiver: "DATABASE_URL=DATABASE_URL_RECEIVER",
  worker: "DATABASE_URL=DATABASE_URL_WORKER",
  owner: "DATABASE_URL=DATABASE_URL_OWNER",
};

/**
 * Secrets of SSM; queues whose consumers it wakes, or is; the right to publish; how often it is called, in
 * seconds.
 */
const functions = {
  receive: { secrets: [AS.receiver, "CALLBACK_TOKENS"], wakes: ["ConfirmQueue"] },
  confirm: {
    secrets: [AS.worker, "COLLECTION_API_KEY"],
    wokenBy: "ConfirmQueue",
    wakes: ["PublishQueue"],
    every: 60,
  },
  publish: { secrets: [AS.worker], wokenBy: "PublishQueue", publishes: true, every: 60 },
  reconcile: { secrets: [AS.worker, "COLLECTION_API_KEY"], wakes: ["ConfirmQueue"], every: 60 },
  certify: {
    secrets: [AS.worker, "COLLECTION_API_KEY"],
    wakes: ["ConfirmQueue"],
    every: 3_600,
  },
  replay: { secrets: [AS.worker], wakes: ["ConfirmQueue", "PublishQueue"], every: 300 },
  // It drops and makes partitions, which only their owner may.
  retention: { secrets: [AS.owner], every: 86_400 },
  migrate: { secrets: [AS.owner] },
};

/** `receive` as in AWS' logical ids. */
const capitalized = (name) => name[0].toUpperCase() + name.slice(1);

module.exports.functions = functions;
module.exports.capitalized = capitalized;

/** Secrets of SSM by function: its own, and what the stage adds for checking callbacks, telling people and signing. */
async function secretsByFunction({ resolveVariable }) {
  const [receive, confirm, certify] = await Promise.all(
    ["callbackSecrets", "alarmSecrets", "signingSecrets"].map((list) =>
      resolveVariable(`self:custom.stage.${list}`),
    ),
  );
  const added = { receive, confirm, certify };
  return Object.fromEntries(
    Object.entries(functions).map(([name, { secrets }]) => [name, [...secrets, ...(added[name] ?? [])]]),
  );
}
module.exports.secretsByFunction = secretsByFunction;

/** `${file(deploy/lambda/functions.cjs):secretSettings.<function>}` */
module.exports.secretSettings = async (given) =>
  Object.fromEntries(
    Object.entries(await secretsByFunction(given)).map(([name, secrets]) => [name, secrets.join(",")]),
  );
