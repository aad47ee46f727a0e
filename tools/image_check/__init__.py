"""Builds the image of `deploy/Containerfile` without a registry, and uses it as a container engine would.

The base image is a Debian made by debootstrap; buildah builds in a chroot; the container is a chroot with a read-only
root, its own mount and network namespaces, and an unprivileged user.
"""
