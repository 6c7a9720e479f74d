import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SERVE_REQUIRES, type SettingName, settingsSchema, TO_FILL_IN } from "../../src/kit/settings.ts";

// Both files are written from the schema: `vitest run --project house -u` brings them up to date.
const names = Object.keys(settingsSchema.shape) as SettingName[];
const required: readonly SettingName[] = SERVE_REQUIRES;

function describeSetting(name: SettingName) {
  const schema: z.ZodType = settingsSchema.shape[name];
  const standard = schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : null;
  return {
    name,
    meaning: schema.description ?? "",
    standard,
    required: required.includes(name),
    toFillIn: TO_FILL_IN.includes(name),
  };
}

function settingsDocument(): string {
  const rows = names.map(describeSetting).map(({ name, meaning, standard, required, toFillIn }) => {
    const value = required
      ? "**required by `serve`**"
      : toFillIn
        ? "**fill it in**; `doctor` fails without"
        : standard
          ? `\`${standard}\``
          : "";
    return `| \`${name}\` | ${meaning.replaceAll("|", "\\|")} | ${value} |`;
  });
  return `# Settings

Settings come from the environment; \`--settings <file>\` adds those of a file like \`.env.example\`, where
the environment wins. All that is missing or wrong is listed at once, with exit code 2, before anything
starts. A name in that file which is no setting is refused, with the likely one.
\`invoice-relay doctor\` checks them against the world.

Durations are written \`500ms\`, \`20s\`, \`10m\`, \`6h\`, \`35d\`; lists are separated by commas. Plain
http is accepted for loopback addresses only. AWS credentials are found as every AWS SDK finds them; they are
no settings of ours.
With \`SOURCES_FILE\` the settings of one merchant account stand in that file, and not here.

| Setting | What it is for | Default |
|---|---|---|
${rows.join("\n")}
`;
}

function exampleFile(): string {
  const entries = names.map(describeSetting).map(({ name, meaning, standard, toFillIn }) => {
    const line = toFillIn ? `${name}=` : `# ${name}=${standard ?? ""}`;
    return `# ${meaning}\n${line}\n`;
  });
  return `# Every setting of invoice-relay; docs/settings.md says more. Copy it, fill in what has no #
# in front (serve needs those, and doctor COLLECTION_IDS), then: invoice-relay --settings .env doctor

${entries.join("\n")}`;
}

describe("the documented settings", () => {
  it("docs/settings.md says of every setting what the schema says", async () => {
    await expect(settingsDocument()).toMatchFileSnapshot("../../docs/settings.md");
  });

  it(".env.example names every setting once, with its default", async () => {
    await expect(exampleFile()).toMatchFileSnapshot("../../.env.example");
  });

  it(".env.example, read as it is, sets nothing: what serve needs is missing rather than made up", () => {
    const read = parseEnv(exampleFile());
    expect(Object.keys(read).sort()).toEqual([...TO_FILL_IN].sort());
    expect(TO_FILL_IN).toContain("COLLECTION_IDS");
    expect(Object.values(read).join("")).toBe("");
  });

  it.each(names)("%s says what it is for", (name) => {
    expect(describeSetting(name).meaning).toMatch(/^[A-Z].{10,}\.$/s);
  });
});
