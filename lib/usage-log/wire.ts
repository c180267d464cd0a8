import type { UsageLog } from "./types";

/** A log row as /api shows it (contract §2.5): use_time in whole seconds, `other` as JSON text. */
export function toWireLog(log: UsageLog) {
  return {
    id: log.id,
    user_id: log.userId,
    created_at: log.createdAt,
    type: log.type,
    content: log.content,
    username: log.username,
    token_name: log.tokenName,
    model_name: log.modelName,
    quota: log.quota,
    prompt_tokens: log.promptTokens,
    completion_tokens: log.completionTokens,
    use_time: Math.round(log.useTimeMs / 1000),
    is_stream: log.isStream,
    channel: log.channelId,
    channel_name: log.channelName,
    token_id: log.tokenId,
    group: log.group,
    ip: log.clientIp,
    request_id: log.requestId,
    other: JSON.stringify(log.other),
  };
}
