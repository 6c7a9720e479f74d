const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { parse } = require("yaml");

// Reads deploy/lambda/stages/<stage>.yml and says all that is wrong with it at once, before anything is
// deployed.

const SECRETS_OF_CHECKS = ["CALLBACK_HMAC_SECRETS", "CALLBACK_HEADER_TOKENS", "CALLBACK_WEBHOOK_SECRETS"];

const SECRETS_OF_ALARMS = ["ALARM_WEBHOOK_URL"];

const SECRETS_OF_SIGNING = ["CERTIFICATE_SIGNING_KEY"];

/** Keys of a collector; one beside the functions holds them itself. */
const KEYS_OF_COLLECTORS = ["OTEL_EXPORTER_OTLP_HEADERS"];
const MADE_BY_THE_STACK = ["PUBLIC_URL", "SNS_TOPIC_ARN", "SNS_TEST_TOPIC_ARN", "AWS_REGION", "SOURCES_FILE"];

/** How long CloudWatch can keep logs, in days. */
const RETENTIONS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

const isText = (pattern) => (value) => typeof value === "string" && pattern.test(value);
const isList = (isItem, least) => (value) =>
  Array.isArray(value) && value.length >= least && value.every(isItem);

const KEYS = {
  region: [isText(/^[a-z]{2}(-[a-z]+)+-\d$/), "a region such as eu-west-1"],
  publicUrl: [isText(/^(https:\/\/[^/?#]+)?$/), "https:// and a host, or empty"],
  subnetIds: [isList(isText(/^subnet-[0-9a-f]+$/), 1), "a list of subnets such as subnet-0123456789abcdef0"],
  securityGroupIds: [isList(isText(/^sg-[0-9a-f]+$/), 1), "a list of groups such as sg-0123456789abcdef0"],
  topicKind: [(value) => ["standard", "fifo"].includes(value), "standard or fifo"],
  receiveConcurrency: [(value) => Number.isInteger(value) && value > 0, "a whole number from 1"],
  alarmEmail: [isText(/^[^\s@]+@[^\s@]+$/), "an e-mail address"],
  logRetentionInDays: [(value) => RETENTIONS.includes(value), `one of ${RETENTIONS.join(", ")}`],
  callbackSecrets: [
    isList((value) => SECRETS_OF_CHECKS.includes(value), 0),
    `a list of names among ${SECRETS_OF_CHECKS.join(", ")}; [] for none`,
  ],
  alarmSecrets: [
    isList((value) => SECRETS_OF_ALARMS.includes(value), 0),
    `a list of names among ${SECRETS_OF_ALARMS.join(", ")}; [] for none`,
  ],
  signingSecrets: [
    isList((value) => SECRETS_OF_SIGNING.includes(value), 0),
    `a list of names among ${SECRETS_OF_SIGNING.join(", ")}; [] for none`,
  ],
  settings: [
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "settings by name",
  ],
};

/** @returns what is wrong with the name: it becomes part of names in AWS, of at most 64 characters */
function nameProblems(stage) {
  if (!/^[a-z][a-z0-9-]{0,18}[a-z0-9]$/.test(stage))
    return ["the stage's name should be 2 to 20 lower-case letters, digits and hyphens, the first a letter"];
  // invoice-relay-prod-test is where prod's Test invoices go.
  if (stage.endsWith("-test"))
    return [
      "the stage's name should not end in -test: its topic would be the other stage's for Test invoices",
    ];
  return [];
}

function keyProblems(content) {
  const strange = Object.keys(content).filter((key) => !(key in KEYS));
  const wrong = Object.entries(KEYS).filter(([key, [isRight]]) => !isRight(content[key]));
  return [
    ...strange.map((key) => `${key} is no key of a stage; there are ${Object.keys(KEYS).join(", ")}`),
    ...wrong.map(([key, [, what]]) => `${key} should be ${what}`),
  ];
}

async function settingProblems(settings = {}) {
  const { settingsSchema, SECRET_SETTINGS, TO_FILL_IN } = await import(
    "../../src/platform/config/settings.ts"
  );
  const names = Object.keys(settings);
  const inSsm = SECRET_SETTINGS.filter((name) => !KEYS_OF_COLLECTORS.includes(name));
  const known = [...Object.keys(settingsSchema.shape), "DATABASE_PROXY"];
  const misplaced = (list, why) =>
    names.filter((name) => list.includes(name)).map((name) => `settings.${name} ${why}`);
  const result = settingsSchema.safeParse(settings);
  return [
    ...misplaced(inSsm, "is a secret: put it into SSM"),
    ...misplaced(KEYS_OF_COLLECTORS, "holds a key: send traces to a collector in your network that holds it"),
    ...misplaced(MADE_BY_THE_STACK, "is made by the stack itself"),
    ...names.filter((name) => !known.includes(name)).map((name) => `settings.${name} is no setting`),
    ...(result.success
      ? []
      : result.error.issues.map(({ path, message }) => `settings.${path[0]} ${message}`)),
    ...TO_FILL_IN.filter((name) => ![...names, ...inSsm, ...MADE_BY_THE_STACK].includes(name)).map(
      (name) => `settings.${name} is missing`,
    ),
  ];
}

/** Decisions that would else be conditions of the template; osls leaves out a property that is null. */
const decided = ({ publicUrl, topicKind }) => ({
  publicUrl: publicUrl || null,
  fifoTopic: topicKind === "fifo" || null,
  topicEnding: topicKind === "fifo" ? ".fifo" : "",
});

module.exports = async ({ resolveVariable }) => {
  const stage = await resolveVariable("sls:stage");
  const file = `deploy/lambda/stages/${stage}.yml`;
  const path = join(__dirname, "stages", `${stage}.yml`);
  const there = existsSync(path);
  const content = there ? parse(readFileSync(path, "utf8")) : {};
  const problems = [
    ...nameProblems(stage),
    ...(there ? [...keyProblems(content), ...(await settingProblems(content.settings))] : []),
    ...(there ? [] : [`${file} is missing. Copy deploy/lambda/stages/example.yml and fill it in`]),
  ];
  if (problems.length === 0) return { ...content, ...decided(content) };
  const error = new Error(`Stage ${stage} needs attention:\n${problems.map((one) => `  ${one}`).join("\n")}`);
  // osls shows the stack where there is one; nobody is helped by it.
  error.stack = error.message;
  throw error;
};
