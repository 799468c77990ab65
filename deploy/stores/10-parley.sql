-- Runs once, when the volume is empty. Superusers bypass row-level security, so the services never connect as one.
\set ON_ERROR_STOP on
\getenv password PARLEY_DATABASE_PASSWORD
CREATE ROLE parley LOGIN PASSWORD :'password' NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION;
CREATE DATABASE parley OWNER parley ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT ON DATABASE parley FROM PUBLIC;
