import { Command, Option } from "commander";
import { z } from "zod";
import {
  BadInput,
  type Operation,
  type OperationContext,
  type OperationInput,
  type operations,
  readInput,
  refuseUnknown,
  requireKnownNames,
  runOperation,
  type View,
} from "../../operations/index.ts";
import { Alarms } from "../../platform/alarms/index.ts";
import { currencyOf, SERVE_REQUIRES, sourcesOf } from "../../platform/config/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { notFoundError, RelayError, type Remedy } from "../../platform/errors/index.ts";
import { Signer } from "../../platform/signing/index.ts";
import { maskOf, type Role } from "../../platform/values/index.ts";
import { leaseOf } from "../../platform/worker/index.ts";
import type { ListWork } from "../../runtime/index.ts";
import type { CommandContext } from "./command-context.ts";
import { hasNone, operator } from "./option-values.ts";
import { innerOf, resultText } from "./render.ts";

type Operations = (typeof operations)[number];
type OperationId = Operations["id"];
export type ResultOf<Id extends OperationId> = NonNullable<
  Awaited<ReturnType<Extract<Operations, { id: Id }>["run"]>>
>;

/** Options and arguments, by the names of the operation's fields. */
export type CommandInput = Record<string, unknown>;

/** A command's additions to its operation: its name, and the text that a person reads. */
interface CommandWords<Id extends OperationId> {
  name: string;
  /** The operation's sentence when left out. */
  description?: string;
  /** Options that are not called as their field: `{ invoiceId: "invoice" }`. */
  options?: Readonly<Record<string, string>>;
  /** Fields that are no option: they are fixed, or an argument says them. */
  without?: readonly string[];
  /** Adds what is the command line's own: arguments, `--yes`. */
  extend?: (command: Command) => Command;
  /** The operation's fields, where options, arguments and files say them otherwise; before anything connects. */
  input?: (given: CommandInput, args: readonly string[]) => CommandInput | Promise<CommandInput>;
  /** Calls it where once is not all: after asking, or page after page. */
  run?: (
    call: (given: CommandInput) => Promise<ResultOf<Id>>,
    given: CommandInput,
    options: CommandInput,
    operating: OperationContext,
  ) => Promise<ResultOf<Id>>;
  /** The output of `--json`; by default the operation's result. */
  json?: (result: ResultOf<Id>, given: CommandInput) => unknown;
  /** Instead of its view. */
  text?: (result: ResultOf<Id>, given: CommandInput) => string;
  /** Prints it where neither `json` nor `text` is all. */
  show?: (result: ResultOf<Id>, options: CommandInput) => Promise<void>;
  /** Looks at what was found, for the exit code. */
  check?: (result: ResultOf<Id>) => void;
  /** The error for an unknown id. */
  missing?: (given: CommandInput) => string;
  /** Lists those that there are. */
  others?: Remedy;
}

/** An option that the operation does not have is refused in the words of the admin API. */
class OperationCommand extends Command {
  unknownOption(flag: string): never {
    throw refuseUnknown(camel(flag.replace(/^--?/, "").split("=")[0] ?? ""));
  }
}

/**
 * A command made from an operation: its options, their check, the call and `--json`.
 * @param operations the list that it stands in; the others need not be loaded for it
 */
export function operationCommand<
  const List extends readonly Operations[],
  const Id extends List[number]["id"],
>(context: CommandContext, operations: List, id: Id, words: CommandWords<Id>): Command {
  const operation = operations.find((one) => one.id === id) as unknown as Operation;
  const { options: named = {}, without = [], input = (given) => given } = words;
  const isOwn = ([name]: readonly [string, unknown]) => !without.includes(name);
  const inPath = Object.entries(operation.pathParameters?.shape ?? {}).filter(isOwn);
  const fields = fieldsOf(operation).filter(isOwn);
  const command = new OperationCommand(words.name).description(
    words.description ?? `${operation.summary[0]?.toLowerCase()}${operation.summary.slice(1)}`,
  );
  for (const [name, schema] of inPath) command.argument(`<${name}>`, descriptionOf(schema));
  for (const [name, schema] of fields) command.addOption(optionOf(name, schema, named[name]));
  words.extend?.(command);
  return command.action(async () => {
    const options = { ...command.opts<CommandInput>(), ...takenByParent(command) };
    const given = await input(
      {
        ...options,
        ...Object.fromEntries(inPath.map(([name], index) => [name, command.args[index]])),
        ...fieldsIn(options, fields, named),
      },
      command.args,
    );
    // Before anything is asked of the database.
    const asked = inWordsOf(command, named, () => readInput(operation, inputOf(operation, given)));
    await withOperationContext(context, async (operating) => {
      // Before anybody is asked whether to go on.
      await requireKnownNames(operating, asked);
      const call = async (asked: CommandInput) => {
        const input = readInput(operation, inputOf(operation, asked));
        const result = await runOperation(operation, operating, input);
        if (result !== null) return result as ResultOf<Id>;
        throw notFoundError(words.missing?.(asked) ?? "There is nothing with this id.", words.others);
      };
      const result = await (words.run?.(call, given, options, operating) ?? call(given));
      if ((operation as { isFinding?(result: unknown): boolean }).isFinding?.(result)) context.fault();
      words.check?.(result);
      if (words.show !== undefined) return await words.show(result, options);
      context.show(
        words.json?.(result, given) ?? result,
        () =>
          words.text?.(result, given) ??
          viewText(context, (operation.view ?? {}) as View<unknown>, result, given),
      );
    });
  });
}

/** A result as its view has it. @param given the filters, if any */
export function viewText<Result>(
  context: CommandContext,
  view: View<Result>,
  result: Result,
  given: CommandInput = {},
): string {
  const { limit: _, all: __, ...filters } = given;
  return resultText(result, view, {
    currencyOf: currencyOf(context.settings()),
    isFiltered: !hasNone(filters),
  });
}

/** Commander gives the `--source` of `alarms close` to `alarms`, which has that option as well. */
function takenByParent({ parent, options }: Command): CommandInput {
  const shared = (parent?.options ?? []).filter(({ long }) => options.some((own) => own.long === long));
  const given = shared.map((option) => option.attributeName());
  return Object.fromEntries(
    given
      .filter((name) => parent?.getOptionValueSource(name) === "cli")
      .map((name) => [name, parent?.getOptionValue(name)]),
  );
}

/** Runs it, and names what is wrong as it was typed: `--invoice`, not `invoiceId`. */
function inWordsOf<Read>(command: Command, named: Readonly<Record<string, string>>, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    throw new BadInput(
      error.problems.map((problem) => {
        const [, field = "", rest = ""] =
          /^(?:filters\.|target\.|alarms\[\d+\]\.)?(\w+)(.*)$/s.exec(problem) ?? [];
        const flag = `--${named[field] ?? kebab(field)}`;
        return command.options.some(({ long }) => long === flag)
          ? `${flag}${rest}`
          : `${field}${rest}` || problem;
      }),
    );
  }
}

function fieldsOf({ query, body }: Operation): [name: string, schema: z.ZodType][] {
  const shape = { ...query?.shape, ...(body instanceof z.ZodObject ? body.shape : {}) };
  return (Object.entries(shape) as [string, z.ZodType][]).filter(([name]) => name !== "cursor");
}

function inputOf({ pathParameters, query, body }: Operation, given: CommandInput): OperationInput {
  const pick = (shape: object = {}) =>
    Object.fromEntries(Object.entries(given).filter(([name, value]) => name in shape && value !== undefined));
  return {
    path: pick(pathParameters?.shape),
    query: pick(query?.shape),
    body: pick(body instanceof z.ZodObject ? body.shape : {}),
  };
}

const isFlag = (schema: z.core.$ZodType): boolean => {
  const inner = innerOf(schema);
  return (
    inner instanceof z.ZodBoolean || (inner instanceof z.ZodCodec && inner.def.out instanceof z.ZodBoolean)
  );
};

/** Names of values in help, where name and form do not say it. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  name: ["source", "collection", "payer", "actor", "subject"],
  time: ["from", "to", "confirmedFrom", "confirmedTo"],
  text: ["reason", "reference"],
  number: ["limit"],
  address: ["email", "remoteAddress"],
  where: ["foundBy"],
  entry: ["before"],
  alarm: ["name"],
};
const FORMS: Readonly<Record<string, string>> = { date: "day", uuid: "id" };

function valueWord(name: string, schema: z.ZodType): string {
  const inner = innerOf(schema);
  const form = FORMS[String((inner instanceof z.ZodType ? inner.meta() : undefined)?.format)];
  return form ?? Object.keys(VALUES).find((value) => VALUES[value]?.includes(name)) ?? name;
}

function optionOf(name: string, schema: z.ZodType, named: string | undefined): Option {
  const flags = `${named ?? kebab(name)}${isFlag(schema) ? "" : ` <${valueWord(name, schema)}>`}`;
  const option = new Option(`--${flags}`, descriptionOf(schema));
  const inner = innerOf(schema);
  if (inner instanceof z.ZodEnum) option.argChoices = inner.options.map(String);
  if (schema instanceof z.ZodDefault && !isFlag(schema)) option.default(schema.def.defaultValue);
  return option;
}

const descriptionOf = (schema: z.core.$ZodType): string =>
  [schema, innerOf(schema)]
    .map((one) => (one instanceof z.ZodType ? one.description : undefined))
    .find((text) => text !== undefined) ?? "";

/** Options by the names of the fields. A command line has texts only: a flag is the text `true`. */
const fieldsIn = (
  options: CommandInput,
  fields: readonly [name: string, schema: z.ZodType][],
  named: Readonly<Record<string, string>>,
): CommandInput =>
  Object.fromEntries(
    fields.flatMap(([name, schema]) => {
      const value = options[camel(named[name] ?? kebab(name))];
      return value === undefined
        ? []
        : [[name, innerOf(schema) instanceof z.ZodCodec ? String(value) : value]];
    }),
  );

export const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const camel = (flag: string): string =>
  flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Runs the work with what operations need. */
async function withOperationContext(
  context: CommandContext,
  work: (operating: OperationContext) => Promise<void>,
): Promise<void> {
  const { operationParts } = await import("../../runtime/operation-parts.ts");
  await context.withDatabase((db) => {
    const parts = operationParts({
      db,
      settings: () => context.settings(),
      serving: () => context.settings(SERVE_REQUIRES),
      metrics: async () => (await import("../../platform/metrics/index.ts")).createMetrics(),
      mask: maskOf([]),
      withLists: (read) => withLists(context, db, read),
    });
    // Assigned, since a spread would make each part now, of settings that may not be there.
    const calling = { actor: operator(context), role: "admin" as Role };
    return work(Object.assign(parts, calling));
  });
}

async function withLists<Result>(
  context: CommandContext,
  db: Database,
  work: (asking: ListWork) => Promise<Result>,
): Promise<Result> {
  const { withReconcileSources } = await import("../../runtime/sources.ts");
  const { createMetrics } = await import("../../platform/metrics/index.ts");
  const settings = context.settings(SERVE_REQUIRES);
  const stop = context.listenForStop();
  try {
    const log = await context.localLog();
    const result = await withReconcileSources(sourcesOf(settings), settings, (sources) =>
      work({
        db,
        alarms: new Alarms({ db, log, metrics: createMetrics() }),
        lease: leaseOf(settings.LEASE_DURATION),
        signer: Signer.of(settings),
        sources,
        signal: stop.signal,
        // Workers poll.
        onConfirmations: () => undefined,
        onEvents: () => undefined,
      }),
    );
    return result;
  } catch (error) {
    if (stop.signal.aborted && !(error instanceof RelayError))
      throw new RelayError(
        "Stopped before the end. The progress is kept: run the same command to continue.",
        { next: "retry", cause: error },
      );
    throw error;
  } finally {
    await stop.finish(Promise.resolve(), 0);
  }
}
