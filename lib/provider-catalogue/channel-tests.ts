import { OPERATIONS, type OperationId } from "@/lib/operations";
import { channelTypes, servesOperation } from ".";

/** What a channel test can ask for, by names of models that are for nothing else; null = no name tells. */
export const TESTED_MODELS = {
  chat: null,
  completions: /^(gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/,
  embeddings: /^(?!.*rerank).*(embed|bge-)|^m3e|^tao-8k/i,
  rerank: /rerank/i,
  moderations: /moderation/i,
  images: /^(dall-e|gpt-image|imagen|cogview|wanx|wan\d|qwen-image|grok-\d-image|flux|kolors)/i,
  speech: /(^|[-/])tts(-|$)|cosyvoice/i,
} as const satisfies Partial<Record<OperationId, RegExp | null>>;

const tested: Readonly<Partial<Record<OperationId, RegExp | null>>> = TESTED_MODELS;

/** What a model is for, where its name says so; null = its name does not. */
export function operationOfName(model: string): OperationId | null {
  return OPERATIONS.find((operation) => tested[operation]?.test(model)) ?? null;
}

/** What a channel of a type can be tested with; none where its upstream would have to work for it, such as draw. */
export function operationsToTest(type: number): OperationId[] {
  if ((channelTypes.get(type)?.test ?? null) === null) return [];
  return OPERATIONS.filter((operation) => operation in TESTED_MODELS && servesOperation(type, operation));
}
