export { offerPostgres as default } from './postgres-of-run.mjs';

// As the platform does for itself: tests load onnxruntime in processes of their own.
process.env.ORT_DISABLE_TELEMETRY ??= '1';
