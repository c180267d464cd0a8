import type { RequestFix } from "../channel-type";

/** Without the encoding, which these upstreams refuse or ignore, and with a list of texts. */
export const floatsOnly: RequestFix = ({ encoding_format: encoding, input }) => ({
  ...(encoding === undefined ? {} : { encoding_format: undefined }),
  ...(typeof input === "string" ? { input: [input] } : {}),
});

/** Mistral calls the number of dimensions `output_dimension`. */
export const mistralEmbeddings: RequestFix = (json, model, options) => {
  const { dimensions } = json;
  if (dimensions === undefined) return floatsOnly(json, model, options);
  return { ...floatsOnly(json, model, options), dimensions: undefined, output_dimension: dimensions };
};
