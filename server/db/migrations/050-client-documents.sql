-- Client ID metadata documents: clients whose client_id is the address of what describes them.
alter table tenants add column client_id_metadata_documents text not null default 'Off'
  check (client_id_metadata_documents in ('Off', 'On'));
alter table registered_clients
  add column document_url text unique, -- null: it has registered itself
  add column document_fresh_until timestamptz(3),
  add column document_tried_on timestamptz(3), -- it was asked for last
  add column document_read_on timestamptz(3);
