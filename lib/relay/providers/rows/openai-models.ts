/** OpenAI's models, which resellers offer too. */
export const OPENAI_MODELS =
  /^(gpt-|chatgpt-|o[1-9]|codex|text-embedding-(3|ada)|text-(ada|babbage|curie|davinci|moderation|search)|omni-|whisper-1|tts-|dall-e|davinci|babbage|computer-use)/;
