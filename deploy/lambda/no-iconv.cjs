// Stands in for iconv-lite in the bundle. Callbacks are read as bytes; no body parser of Express is used.
exports.encodingExists = () => false;
exports.getDecoder = () => {
  throw new Error("The Lambda bundle has no body parsers");
};
