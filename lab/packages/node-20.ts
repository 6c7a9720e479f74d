const name = `node-linux-${process.arch}`;

/** The oldest Node that consumers may have: its package on npm, and the program in there. */
export const NODE_20 = { package: `${name}@20.20.2`, binary: `node_modules/${name}/bin/node` };
