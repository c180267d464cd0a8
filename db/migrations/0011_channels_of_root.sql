ALTER TABLE "channels" ADD COLUMN "private_allowed" boolean DEFAULT true NOT NULL;--> statement-breakpoint
-- Where the last one to set the address was not root, it is not trusted with the private network.
UPDATE "channels" SET "private_allowed" = false
WHERE (
  SELECT u.role < 100
  FROM audit_entries a JOIN users u ON u.id = a.actor_id
  WHERE a.subject = 'channel:' || channels.id AND a.action IN ('channel.create', 'channel.update')
    AND (a.before IS NULL OR a.before ->> 'baseUrl' IS DISTINCT FROM a.after ->> 'baseUrl'
      OR a.before ->> 'setting' IS DISTINCT FROM a.after ->> 'setting' OR a.before ->> 'other' IS DISTINCT FROM a.after ->> 'other')
  ORDER BY a.id DESC LIMIT 1
);
