import { namesInTwoSpellings } from "../common/known-names";

/** What Weir reads of Google's requests, embeddings included. Arguments, results and schemas are the caller's own. */
export const names = namesInTwoSpellings({
  objects: ["contents", "parts", "tools", "functionDeclarations", "requests"],
  parts: ["systemInstruction"],
  object: [
    ...["generationConfig", "thinkingConfig", "inlineData", "fileData", "functionCall", "functionResponse"],
    ...["executableCode", "codeExecutionResult", "toolConfig", "functionCallingConfig", "generateContentRequest"],
    ...["toolCall", "toolResponse", "speechConfig", "imageConfig", "content", "embedContentConfig"],
  ],
  fields: [
    ...[
      "model",
      "models",
      "role",
      "text",
      "data",
      "mimeType",
      "fileUri",
      "name",
      "description",
      "id",
      "code",
      "output",
    ],
    ...["serviceTier", "cachedContent", "responseModalities", "maxOutputTokens", "candidateCount", "stopSequences"],
    ...["thinkingBudget", "thinkingLevel", "includeThoughts", "thought", "thoughtSignature", "temperature", "topP"],
    ...["topK", "seed", "presencePenalty", "frequencyPenalty", "responseMimeType", "responseLogprobs", "logprobs"],
    ...["allowedFunctionNames", "mode", "googleSearch", "googleSearchRetrieval", "googleMaps", "fileSearch"],
    ...[
      "codeExecution",
      "urlContext",
      "computerUse",
      "type",
      "taskType",
      "outputDimensionality",
      "title",
      "routingConfig",
      "modelSelectionConfig",
    ],
  ],
  callers: ["args", "response", "parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema", "labels"],
});
