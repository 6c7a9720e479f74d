import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { operationCommand } from "../operation-command.ts";
import { writeFileUnlessStopped } from "../write-file.ts";

export const evidenceCommand = (context: CommandContext): Command =>
  operationCommand(context, "exportEvidence", {
    name: "evidence",
    description:
      "write all that shows what happened to one payment into a ZIP: callbacks, answers, event, story",
    extend: (command) => command.option("--out <file>", "where to write it; evidence-<id>.zip when left out"),
    async show({ fileName, parts, files }, { out = fileName }) {
      const file = String(out);
      const bytes = await writeFileUnlessStopped(context, file, parts);
      context.show(
        { file, bytes, files },
        () => `Wrote ${file}: ${files} files, the story (story.html) and a README. It holds personal data.`,
      );
    },
    missing: ({ id }) => `Nothing is known about invoice ${id}: there is nothing to show.`,
  });
