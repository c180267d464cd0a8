-- The price of sound no longer follows from a model's name. Models that the operator priced keep what was guessed for them, as a ratio
-- that the console shows; those whose maker's price is known take that one.
INSERT INTO "options" ("key", "value")
-- safe: it writes one row
SELECT 'AudioRatio', jsonb_object_agg(model, ratio)::text
FROM (
  SELECT model, CASE WHEN model ~ 'realtime' THEN 20 WHEN model ~ 'transcribe' THEN 2.4 ELSE 40 END AS ratio
  FROM (SELECT value::jsonb AS ratios FROM "options" WHERE key = 'ModelRatio' AND value ~ '^\s*\{.*\}\s*$') AS priced,
    jsonb_object_keys(ratios) AS model
  WHERE model ~ 'realtime|transcribe|-audio'
    AND model !~ '(^|/)(gpt-(4o-(mini-)?)?(realtime|audio)|gpt-.*transcribe|gemini-|qwen-omni-turbo|qwen2\.5-omni)[^/]*$'
) AS guessed
HAVING count(*) > 0
ON CONFLICT ("key") DO NOTHING;
