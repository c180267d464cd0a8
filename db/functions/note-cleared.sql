-- Sets the time before which the usage log is cleared, never back, and puts it on record: the check of the books compares the two.
CREATE OR REPLACE FUNCTION weir_note_cleared(until_in bigint, reason_in text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO job_positions AS known (job, position) VALUES ('logs-cleared', until_in)
  ON CONFLICT (job) DO UPDATE SET position = excluded.position, updated_at = floor(extract(epoch from now()))::bigint
  WHERE known.position < excluded.position;
  IF FOUND THEN
    INSERT INTO log_clearings (until, reason) VALUES (until_in, reason_in);
  END IF;
END $$;
