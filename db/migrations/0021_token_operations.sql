ALTER TABLE "tokens" ADD COLUMN "operation_limits" text DEFAULT '' NOT NULL;
--> statement-breakpoint
-- By hand from here: a limit is in force everywhere as soon as it is changed.
CREATE TRIGGER tokens_notify_operations AFTER UPDATE ON tokens FOR EACH ROW
  WHEN (OLD.operation_limits IS DISTINCT FROM NEW.operation_limits) EXECUTE FUNCTION weir_notify();
