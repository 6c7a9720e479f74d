import type pg from "pg";

/** A column as Postgres announces it. */
interface DescribedColumn {
  name: string;
  dataTypeID: number;
}

/** What a query of `pg` speaks the protocol with. */
interface Wire {
  parse(query: { text: string; name: string; types: number[] }): void;
  describe(what: { type: "S"; name: string }): void;
  sync(): void;
}

/**
 * Lets Postgres prepare a statement without running it. @returns its columns; none when it returns no rows.
 * @throws what Postgres says of a statement that it does not take.
 */
export function describeStatement(client: pg.Client, text: string): Promise<DescribedColumn[]> {
  return new Promise((resolve, reject) => {
    let columns: DescribedColumn[] = [];
    const query = {
      submit(wire: Wire) {
        wire.parse({ text, name: "", types: [] });
        wire.describe({ type: "S", name: "" });
        wire.sync();
      },
      handleRowDescription({ fields }: { fields: DescribedColumn[] }) {
        columns = fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }));
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(columns),
    };
    client.query(query as never);
  });
}
