// What each function may do, in one table: roles.cjs and alarms.cjs are made from it, serverless.yml takes
// SECRET_SETTINGS from it, and a test holds the result.

/**
 * Secrets of SSM; queues whose consumers it wakes, or is; the right to publish; how often it is called, in
 * seconds.
 */
const functions = {
  receive: { secrets: ["DATABASE_URL", "CALLBACK_TOKENS"], wakes: ["ConfirmQueue"] },
  confirm: {
    secrets: ["DATABASE_URL", "COLLECTION_API_KEY"],
    wokenBy: "ConfirmQueue",
    wakes: ["PublishQueue"],
    every: 60,
  },
  publish: { secrets: ["DATABASE_URL"], wokenBy: "PublishQueue", publishes: true, every: 60 },
  reconcile: { secrets: ["DATABASE_URL", "COLLECTION_API_KEY"], wakes: ["ConfirmQueue"], every: 60 },
  certify: {
    secrets: ["DATABASE_URL", "COLLECTION_API_KEY"],
    wakes: ["ConfirmQueue"],
    every: 3_600,
  },
  replay: { secrets: ["DATABASE_URL"], wakes: ["ConfirmQueue", "PublishQueue"], every: 300 },
  retention: { secrets: ["DATABASE_URL"], every: 86_400 },
  migrate: { secrets: ["DATABASE_URL"] },
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
