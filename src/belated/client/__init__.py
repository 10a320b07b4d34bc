"""Studies behind a service, with the face of a local one."""

from belated.client.remote import RemoteStudy

__all__ = ["RemoteStudy"]
